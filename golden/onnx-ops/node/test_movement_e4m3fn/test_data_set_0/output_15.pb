B	reflectedJŠŠŠ
%ñuŠŠŠ
%ñuªªª×u±Å000Y{y