BscaleJHŒ=¹u=
]Q¿