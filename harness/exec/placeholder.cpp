namespace lab {}
