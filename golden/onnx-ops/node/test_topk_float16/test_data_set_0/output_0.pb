
BvJ$Av<j,a: