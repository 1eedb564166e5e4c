/** Whether the page runs as an installed app. On iOS, Google's window never answers there. */
export const installed = () => /** @type {any} */ (navigator).standalone === true || matchMedia("(display-mode: standalone)").matches;
