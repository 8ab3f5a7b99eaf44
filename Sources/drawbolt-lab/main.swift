print("drawbolt")
