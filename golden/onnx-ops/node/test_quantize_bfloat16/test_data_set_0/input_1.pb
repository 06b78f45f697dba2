BscaleJ
Õ?j@|@x@†?