/** For every `Dialog`: it ends above the screen's foot, and what is longer scrolls within it. */
export const DIALOG_CLASS = 'max-h-[calc(100dvh-4rem)] sm:max-h-[calc(100dvh-8rem)] overflow-y-auto p-6'
