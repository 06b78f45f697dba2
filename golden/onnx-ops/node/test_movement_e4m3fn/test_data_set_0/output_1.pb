BreshapedJŠ
%ñuª×u±Å0Y{y