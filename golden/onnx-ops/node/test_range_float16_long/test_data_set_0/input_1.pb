
BlimitJ\