
By_scaleJš9