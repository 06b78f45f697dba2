
BscaleJ¢∫â¿ê5