/** The gallery of files, and the players. */
export const galleryWords = {};
export type GalleryWords = typeof galleryWords;
