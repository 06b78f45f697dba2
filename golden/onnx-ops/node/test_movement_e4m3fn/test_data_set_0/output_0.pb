BsameJŠ
%ñuª×u±Å0Y{y