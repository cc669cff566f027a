/** Makes the page speak its language, which its address names. Import this before whatever says something. */
import { speakLanguage } from '../shared/words/catalogues.ts';
import { words } from '../shared/words/words.ts';
import { LANGUAGES } from '../shared/words/domain-words.ts';

const named = new URLSearchParams(location.search).get('language');
const asked = LANGUAGES.find((language) => language === named);
// The page has one language for as long as it lives: what is imported after this may keep what it reads.
if (asked !== undefined) speakLanguage(asked);
document.documentElement.lang = words.common.locale;
