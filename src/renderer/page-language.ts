/** Sets the language of the page, which its address names. Import this before anything that says something. */
import { speakLanguage } from '../shared/words/catalogues.ts';
import { words } from '../shared/words/words.ts';
import { LANGUAGES } from '../shared/words/domain-words.ts';

const named = new URLSearchParams(location.search).get('language');
const asked = LANGUAGES.find((language) => language === named);
// The page keeps one language as long as it lives: modules imported after this may keep the texts that they read.
if (asked !== undefined) speakLanguage(asked);
document.documentElement.lang = words.common.locale;
