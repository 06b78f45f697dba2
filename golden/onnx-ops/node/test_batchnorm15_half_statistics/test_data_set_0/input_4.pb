
BvarJ=m>A;