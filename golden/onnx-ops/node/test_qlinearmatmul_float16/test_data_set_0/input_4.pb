
Bb_scaleJ%