/** Leads from an address that an entry had to the one that it has, and takes the fragment along (website/moved.py). */
const link = document.getElementById("moved");
if (link instanceof HTMLAnchorElement) location.replace(link.href + location.hash);
