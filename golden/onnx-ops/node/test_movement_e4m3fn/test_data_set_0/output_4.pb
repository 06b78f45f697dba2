BpickedJ0Y{yŠ
%ñu0Y{y