B
saved_meanJ	TW?~:œ?[d>ÙR	?