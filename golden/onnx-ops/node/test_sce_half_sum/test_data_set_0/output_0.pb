
BlossJøL