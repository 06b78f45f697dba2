BdeeperJŠ
%ñuª×u±Å0Y{y