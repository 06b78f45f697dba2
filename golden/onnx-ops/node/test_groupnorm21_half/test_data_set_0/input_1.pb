
BscaleJ™;˜º5zB