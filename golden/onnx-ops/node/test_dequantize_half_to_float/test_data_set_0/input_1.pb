
BscaleJÍ4