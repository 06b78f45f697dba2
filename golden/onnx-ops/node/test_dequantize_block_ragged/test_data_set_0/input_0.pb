BxJyfIVŒ]ÇÓTgŸìeòÅÇò
5TFëVGŠ