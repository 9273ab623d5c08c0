/** Redirects from a former address of an entry to the present address and keeps the fragment (website/moved.py). */
const link = document.getElementById("moved");
if (link instanceof HTMLAnchorElement) location.replace(link.href + location.hash);
