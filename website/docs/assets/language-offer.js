/**
 * Offers the Chinese page to readers whose browser asks for Chinese first and who come from elsewhere: who reads on in
 * English, and comes from another page of the site, is not asked again.
 */
import { element } from "./page-parts.js";

const wanted = (navigator.languages[0] ?? "").toLowerCase();
const chinese = document.querySelector('.md-select__link[hreflang="zh"]');
const article = document.querySelector("article");
const isFromHere = document.referrer.startsWith(`${location.origin}/`);

if (document.documentElement.lang === "en" && wanted.startsWith("zh") && chinese && article && !isFromHere) {
  const link = element("a", { href: chinese.getAttribute("href") ?? "", hreflang: "zh" }, "阅读本页的中文版");
  article.prepend(element("p", { class: "translation-notice", lang: "zh" }, link));
}
