// In which parts bytes go to the store. It takes parts of 5 MiB and more, all of one size but the last.

/** The store takes no more of one blob. */
export const PARTS_MAX = 10_000

/** Of a body of unknown length: so much of it is held at once. */
export const BODY_PART_BYTES = 8 * 1024 * 1024

/** Of a resumable upload: what Supabase's clients send with each request, so that nothing of theirs waits. */
export const RESUMABLE_PART_BYTES = 6 * 1024 * 1024
/** Most bytes of a file that comes by resumable upload. */
export const RESUMABLE_BYTES_MAX = PARTS_MAX * RESUMABLE_PART_BYTES
