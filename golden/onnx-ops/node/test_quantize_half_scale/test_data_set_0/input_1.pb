
BscaleJ¤: