BbackJŠ
%ñuª×u±Å0Y{y