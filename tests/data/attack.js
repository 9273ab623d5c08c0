async (elsewhere) => {
    // What an attacker would try in a page of the site: what of it has come about (tests/site/test_policy.py).
    window.hits = [];
    const put = (name, attributes, text = "") => {
        const made = document.createElement(name);
        for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
        made.textContent = text;
        document.body.append(made);
        return made;
    };
    document.body.insertAdjacentHTML("beforeend", '<img src="nowhere.png" onerror="window.hits.push(1)">');
    put("script", {}, "window.hits.push(2)");
    put("script", { src: elsewhere + "script.js" });
    put("a", { href: "javascript:window.hits.push(3)" }).click();
    put("iframe", { src: "javascript:parent.hits.push(4)" });
    put("style", {}, "body { outline: 7px solid red }");
    put("p", { style: "outline: 7px solid red", id: "styled" });
    put("base", { href: elsewhere });
    try { setTimeout("window.hits.push(5)"); } catch {}
    // In a callback: what the browser's debugger evaluates is free of the policy.
    setTimeout(() => { try { new Function("window.hits.push(6)")(); } catch {} });
    for (const address of [elsewhere, elsewhere + "image.png"])
        await fetch(address, { mode: "no-cors" }).then(() => window.hits.push(address), () => {});
    put("img", { src: elsewhere + "image.png" });
    const form = put("form", { action: elsewhere, method: "post" });
    form.submit();
    await new Promise((done) => setTimeout(done, 300));
    const outlines = [document.body, document.getElementById("styled")].map((e) => getComputedStyle(e).outlineWidth);
    return { hits: window.hits, styled: outlines.includes("7px"), base: document.baseURI };
}
