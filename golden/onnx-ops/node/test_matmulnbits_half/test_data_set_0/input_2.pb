
BscaleJ񹃦�15%񯗺u/J&T1�-