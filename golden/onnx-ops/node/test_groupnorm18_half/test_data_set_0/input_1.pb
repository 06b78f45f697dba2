
BscaleJ9?³@