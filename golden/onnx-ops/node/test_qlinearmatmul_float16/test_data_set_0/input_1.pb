
Ba_scaleJ®'