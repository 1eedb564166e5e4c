//! The name of a browser, by which a user recognises a session. Two short lists suffice: a library for `User-Agent`
//! would read thousands of patterns at a cold start, for details that nobody wants.

use serde::{Deserialize, Serialize};

/// The browser families, each with a part of its `User-Agent`. The first match wins, because most browsers also name
/// the browsers that they derive from.
const FAMILIES: [(&str, &str); 9] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
/// The operating systems, each with a part of its `User-Agent`. The first match wins, because Android also names Linux,
/// and an iPhone also names Mac OS X.
const SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// A name such as `Firefox en Windows`. It has no version and no address, so that it identifies no person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BrowserName(String);

impl BrowserName {
    /// The name of the browser that sends this `User-Agent`.
    #[must_use]
    pub fn of(user_agent: Option<&str>) -> Self {
        let user_agent = user_agent.unwrap_or_default();
        let find = |names: &[(&str, &'static str)]| {
            names.iter().find(|(part, _)| user_agent.contains(part)).map(|(_, name)| *name)
        };
        Self(match (find(&FAMILIES), find(&SYSTEMS)) {
            (Some(family), Some(system)) => format!("{family} en {system}"),
            (Some(family), None) => family.to_owned(),
            (None, Some(system)) => format!("Navegador en {system}"),
            (None, None) => return Self::default(),
        })
    }

    /// The name of an unknown browser.
    pub const UNKNOWN: &str = "Navegador desconocido";

    /// The name as users read it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for BrowserName {
    /// The name of an unknown browser. Sessions that were opened before names were stored have it.
    fn default() -> Self {
        Self(Self::UNKNOWN.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_named_by_its_family_and_system_alone() {
        let mozilla = |rest: &str| format!("Mozilla/5.0 {rest}");
        let apple = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
        let google = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0";
        for (user_agent, name) in [
            (mozilla("(Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0"), "Firefox en Windows"),
            (mozilla("(Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0"), "Firefox en Android"),
            (mozilla(&format!("(Windows NT 10.0; Win64; x64) {google} Safari/537.36")), "Chrome en Windows"),
            (mozilla(&format!("(Linux; Android 10; K) {google} Mobile Safari/537.36")), "Chrome en Android"),
            (mozilla(&format!("(X11; CrOS x86_64 14541.0.0) {google} Safari/537.36")), "Chrome en ChromeOS"),
            (mozilla(&format!("(X11; Linux x86_64) {google} Safari/537.36")), "Chrome en Linux"),
            (
                mozilla(&format!("(Windows NT 10.0; Win64; x64) {google} Safari/537.36 Edg/142.0.0.0")),
                "Edge en Windows",
            ),
            (
                mozilla(&format!("(Windows NT 10.0; Win64; x64) {google} Safari/537.36 OPR/124.0.0.0")),
                "Opera en Windows",
            ),
            (
                mozilla(&format!("(Linux; Android 10; K) AppleWebKit/537.36 SamsungBrowser/28.0 {google}")),
                "Samsung Internet en Android",
            ),
            (
                mozilla(&format!(
                    "(iPhone; CPU iPhone OS 18_6 like Mac OS X) {apple} Version/26.0 Mobile/15E148 Safari/604.1"
                )),
                "Safari en iPhone",
            ),
            (
                mozilla(&format!("(iPad; CPU OS 18_6 like Mac OS X) {apple} CriOS/142.0 Mobile/15E148 Safari/604.1")),
                "Chrome en iPad",
            ),
            (
                mozilla(&format!("(Macintosh; Intel Mac OS X 10_15_7) {apple} Version/26.0 Safari/605.1.15")),
                "Safari en macOS",
            ),
            ("curl/8.14.1".to_owned(), "Navegador desconocido"),
            (mozilla("(Windows NT 10.0; Win64; x64)"), "Navegador en Windows"),
            ("<script>Firefox/1</script>".to_owned(), "Firefox"),
            (String::new(), "Navegador desconocido"),
        ] {
            assert_eq!(BrowserName::of(Some(&user_agent)).as_str(), name, "{user_agent}");
        }
        assert_eq!(BrowserName::of(None), BrowserName::default());
    }
}
