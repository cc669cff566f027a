/**
 * Who may read what is put into a media folder: its owner, and the group where the user's umask lets it. People share
 * such folders with those they work with; prompts, task codes and paid media are nothing for everybody on the machine.
 */
export const FOLDER_FILE_MODE = 0o640;
