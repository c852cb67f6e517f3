process.stdout.write("@factotum/bench\n");
