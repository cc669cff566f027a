; What electron-builder's installer for Windows does not do by itself.

!define SHEETS "Nocturne.Sheet"

; Offers sheets to Nocturne in “Open with”, and folders by a command of their menu; takes neither away from anybody.
!macro customInstall
  WriteRegStr SHCTX "Software\Classes\${SHEETS}" "" "Sheet"
  WriteRegStr SHCTX "Software\Classes\${SHEETS}\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  WriteRegStr SHCTX "Software\Classes\.csv\OpenWithProgids" "${SHEETS}" ""
  WriteRegStr SHCTX "Software\Classes\.tsv\OpenWithProgids" "${SHEETS}" ""
  WriteRegStr SHCTX "Software\Classes\.xlsx\OpenWithProgids" "${SHEETS}" ""
  WriteRegStr SHCTX "Software\Classes\.xlsm\OpenWithProgids" "${SHEETS}" ""
  WriteRegStr SHCTX "Software\Classes\.ods\OpenWithProgids" "${SHEETS}" ""
  WriteRegStr SHCTX "Software\Classes\Directory\shell\Nocturne" "" "Show in Nocturne"
  WriteRegStr SHCTX "Software\Classes\Directory\shell\Nocturne" "Icon" "$INSTDIR\${APP_EXECUTABLE_FILENAME},0"
  WriteRegStr SHCTX "Software\Classes\Directory\shell\Nocturne\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
!macroend

; An update removes the version before it: only a user who uninstalls is asked, and silence keeps everything.
!macro customUnInstall
  DeleteRegKey SHCTX "Software\Classes\${SHEETS}"
  DeleteRegValue SHCTX "Software\Classes\.csv\OpenWithProgids" "${SHEETS}"
  DeleteRegValue SHCTX "Software\Classes\.tsv\OpenWithProgids" "${SHEETS}"
  DeleteRegValue SHCTX "Software\Classes\.xlsx\OpenWithProgids" "${SHEETS}"
  DeleteRegValue SHCTX "Software\Classes\.xlsm\OpenWithProgids" "${SHEETS}"
  DeleteRegValue SHCTX "Software\Classes\.ods\OpenWithProgids" "${SHEETS}"
  DeleteRegKey SHCTX "Software\Classes\Directory\shell\Nocturne"
  ${ifNot} ${isUpdated}
    MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "Delete Nocturne’s own data too: batches, settings and keys?$\r$\nWhat was rendered stays in its folders." /SD IDNO IDNO keepData
      SetShellVarContext current
      RMDir /r "$APPDATA\Nocturne"
    keepData:
  ${endIf}
!macroend
