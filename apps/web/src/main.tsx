document.title = "Factotum";
