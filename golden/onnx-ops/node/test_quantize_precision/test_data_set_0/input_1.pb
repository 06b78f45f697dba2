
BscaleJ¨"