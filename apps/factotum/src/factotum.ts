process.stdout.write("factotum\n");
