
BscaleJÍ>