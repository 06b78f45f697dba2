BzeroJ
	ÚmsùFVÆ