"""By which names a page may be looked for: its terms, English and Chinese."""

from tools.pages import book_pages
from tools.site import search_names, search_synonyms

GLOSSARY = """# Glossary

```{glossary}
cat
tomcat
  A cat is an animal. Chinese: 猫.

brown dog
  A dog. Chinese: 狗 or 犬.

cow
  No lesson has one.
```
"""
LESSONS = {
    "words/one": ("One", "A {term}`cat` and a {term}`dog <brown dog>`."),
    "words/two": ("Two", "Brown-dogs, brown dogs: a brown dog."),
    "words/cats": ("Cats", "Nothing of them."),
}


def test_entries_have_all_their_names():
    assert search_names.glossary_terms_and_chinese_names(GLOSSARY) == [
        (["cat", "tomcat"], ["猫"]),
        (["brown dog"], ["狗", "犬"]),
        (["cow"], []),
    ]


def test_a_term_belongs_to_the_lesson_of_its_name_or_of_most_uses_and_to_the_first_link():
    assert search_names.terms_by_page(LESSONS, GLOSSARY) == {
        "words/one": ["cat", "tomcat", "猫", "brown dog", "狗", "犬"],
        "words/two": ["brown dog", "狗", "犬"],
        "words/cats": ["cat", "tomcat", "猫"],
    }


def test_synonyms_are_of_pages_that_there_are(request):
    root = request.config.rootpath
    pages = {
        path.relative_to(root / "book").with_suffix("").as_posix()
        for path in book_pages.page_paths(root)
    }
    lessons = {page for page in pages if book_pages.page_kind(page) == "lesson"}
    assert lessons <= set(search_synonyms.SYNONYMS_BY_PAGE) <= pages


def test_no_synonym_of_a_page_is_empty_or_there_twice():
    for page in search_synonyms.SYNONYMS_BY_PAGE:
        words = search_synonyms.synonyms_of(page)
        assert all(word.strip() == word != "" for word in words), page
        assert len({*words}) == len(words), page
    assert search_synonyms.synonyms_of("words/none") == []
