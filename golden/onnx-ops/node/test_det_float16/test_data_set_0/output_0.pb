
ByJ€H