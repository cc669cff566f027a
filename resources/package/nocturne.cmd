@echo off
rem The command line of an installed Nocturne, on the Node beside it.
"%~dp0node.exe" "%~dp0..\out\cli\nocturne.js" %*
