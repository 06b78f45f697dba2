B	flattenedJŠ
%ñuª×u±Å0Y{y