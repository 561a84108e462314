"""The words of the book's grammar, in English and in Chinese.

Where a word has several right translations, each stands with how often it is drawn: all
together are drawn ten times.
"""

# Of singular and of plural; {} is the place of the measure word that the noun asks for.
SINGULAR_DETERMINERS = {
    "the": "",
    "a": "一{}",
    "this": "这{}",
    "that": "那{}",
    "my": "我的",
    "her": "她的",
    "our": "我们的",
}
PLURAL_DETERMINERS = {"two": "两{}", "three": "三{}", "four": "四{}", "these": "这些"}
DETERMINERS = SINGULAR_DETERMINERS | PLURAL_DETERMINERS

# Singular, plural, measure word, Chinese.
ANIMALS = {
    "cat": ("cats", "只", "猫"),
    "dog": ("dogs", "只", "狗"),
    "rabbit": ("rabbits", "只", "兔子"),
    "duck": ("ducks", "只", "鸭子"),
    "fox": ("foxes", "只", "狐狸"),
    "sheep": ("sheep", "只", "羊"),
    "horse": ("horses", "匹", "马"),
    "cow": ("cows", "头", "牛"),
    "pig": ("pigs", "头", "猪"),
}
CHILDREN = {
    "child": ("children", "个", {"孩子": 6, "小孩": 4}),
    "boy": ("boys", "个", "男孩"),
    "girl": ("girls", "个", "女孩"),
}
THINGS = {
    "couch": ("couches", "张", "沙发"),
    "table": ("tables", "张", "桌子"),
    "bed": ("beds", "张", "床"),
    "rug": ("rugs", "块", "地毯"),
    "mat": ("mats", "块", "垫子"),
    "chair": ("chairs", "把", "椅子"),
    "umbrella": ("umbrellas", "把", "伞"),
    "box": ("boxes", "个", "箱子"),
    "boat": ("boats", "条", "船"),
    "car": ("cars", "辆", "汽车"),
}
PLACES = {
    "house": ("houses", "座", "房子"),
    "garden": ("gardens", "座", "花园"),
    "bridge": ("bridges", "座", "桥"),
    "tree": ("trees", "棵", "树"),
}
BEINGS = ANIMALS | CHILDREN
NOUNS = BEINGS | THINGS | PLACES
DRY_CLEANABLE_THINGS = ("couch", "rug", "mat")

# "It" and "they" are written by what they stand for; "it" of a child is left out.
PRONOUNS_BY_NOUN = (
    dict.fromkeys(ANIMALS | THINGS | PLACES, ("it", "它"))
    | {"boy": ("he", "他"), "girl": ("she", "她")}
    | {"child": (None, "他")}
)
PLURAL_PRONOUN = ("they", "们")

# The noun decides which adjectives fit it, and what "old" is in Chinese.
MOOD_ADJECTIVES = {
    "happy": {"高兴的": 4, "快乐的": 3, "快活的": 3},
    "tired": "疲倦的",
    "clever": "聪明的",
    "hungry": "饥饿的",
}
SIZE_ADJECTIVES = {"big": "大", "small": "小"}
ANIMAL_ADJECTIVES = SIZE_ADJECTIVES | {
    "black": "黑",
    "white": "白",
    "brown": "棕",
    "grey": "灰",
    "old": "老",
}
THING_ADJECTIVES = SIZE_ADJECTIVES | {
    "black": "黑",
    "white": "白",
    "red": "红",
    "blue": "蓝",
    "green": "绿",
    "old": "旧",
    "new": "新",
}
ADJECTIVES_BY_NOUN = (
    dict.fromkeys(ANIMALS, ANIMAL_ADJECTIVES)
    | dict.fromkeys(CHILDREN, SIZE_ADJECTIVES)
    | dict.fromkeys(THINGS, THING_ADJECTIVES)
    | dict.fromkeys(PLACES, SIZE_ADJECTIVES)
)

# Chinese, then what a place like this can be.
PREPOSITIONS = {
    "on": ("上", "couch table bed rug mat chair box boat bridge"),
    "in": ("里", "car house garden"),
    "under": (
        {"下面": 6, "底下": 4},
        "couch table bed chair umbrella car bridge tree",
    ),
    "behind": ("后面", "couch table chair box car house garden tree"),
    "beside": ("旁边", "couch table bed rug chair umbrella boat car house garden"),
    "in front of": ("前面", "couch bed car house garden tree"),
}

# Before 在 and a place; behind them; then the adverbs that fit.
POSTURE_VERBS = {
    "sat": ("坐", "坐着", "quietly happily comfortably patiently"),
    "slept": ("睡", "睡觉", "quietly comfortably"),
    "stood": ("站", "站着", "quietly patiently"),
    "lay": ("躺", "躺着", "happily comfortably"),
    "hid": ("躲", "躲着", "quietly patiently"),
}
# Chinese, then the adverbs that fit, or who and what it can be done to.
ACTION_VERBS = {
    "rested": ("休息", "quietly comfortably"),
    "sang": ("唱歌", "happily slowly"),
    "waited": ("等待", "quietly patiently"),
    "played": ("玩", "quietly happily"),
    "ate": ("吃东西", "quietly happily slowly quickly"),
    "danced": ("跳舞", "happily slowly quickly"),
}
TRANSITIVE_VERBS = {
    "saw": ({"看见了": 6, "看到了": 4}, BEINGS | THINGS),
    "found": ("找到了", BEINGS | THINGS),
    "met": ({"遇见了": 6, "碰见了": 4}, BEINGS),
    "helped": ("帮助了", BEINGS),
}
DRY_CLEANING_VERBS = {"was dry-cleaned": "被干洗了", "were dry-cleaned": "被干洗了"}
ADVERBS = {
    "quietly": {"安静地": 4, "静静地": 3, "静悄悄地": 3},
    "happily": {"快乐地": 6, "高兴地": 4},
    "slowly": "慢慢地",
    "quickly": "飞快地",
    "comfortably": "舒服地",
    "patiently": "耐心地",
}
TIME_PHRASES = {
    "yesterday": "昨天",
    "today": "今天",
    "last night": "昨晚",
    "this morning": "今天早上",
    "on Monday": {"星期一": 6, "周一": 4},
    "on Sunday": {"周日": 4, "星期天": 3, "星期日": 3},
}
