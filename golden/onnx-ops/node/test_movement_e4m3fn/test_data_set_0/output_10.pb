BfirstJ	Š
%ª×u0Y{