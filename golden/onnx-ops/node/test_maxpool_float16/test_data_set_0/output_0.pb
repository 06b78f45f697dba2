
ByJ >È`E4T4TU"Q4T4TU"Q"QLùQ«?RLRL