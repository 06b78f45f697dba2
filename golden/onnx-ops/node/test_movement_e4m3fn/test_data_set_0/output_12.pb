BtiledJŠ
%ñuª×u±Å0Y{yŠ
%ñuª×u±Å0Y{y